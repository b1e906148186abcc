/** Confirms the removal of a user. */
import { api, unwrap } from '../../api/client.ts'
import { USERS_TEXTS } from '../../texts/users.ts'
import { ConfirmRemoval } from '../../ui/confirm.tsx'
import { USERS, type User } from './user.ts'

const T = USERS_TEXTS

type RemoveProps = Readonly<{ user: User; isSelf: boolean; onClose: () => void }>

export const RemoveUser = ({ user, isSelf, onClose }: RemoveProps) => (
  <ConfirmRemoval
    title={T.removeTitle(user.email)}
    remove={() => unwrap(api.DELETE('/v1/users/{id}', { params: { path: { id: user.id } } }))}
    done={T.removed(user.email)}
    queryKey={USERS}
    onClose={onClose}
  >
    <p>
      {T.removeAbout} {isSelf && T.removeSelf}
    </p>
  </ConfirmRemoval>
)
