/** Taking somebody out of the directory, once one has said yes. */
import { api, take } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { ConfirmRemoval } from '../../ui/confirm.tsx'
import { type Recipient, toWho } from './recipient.ts'

const T = TEXTS.recipients

type RemoveProps = Readonly<{ recipient: Recipient; onClose: () => void }>

export const RemoveRecipient = ({ recipient, onClose }: RemoveProps) => (
  <ConfirmRemoval
    title={T.removeTitle(toWho(recipient))}
    remove={() => take(api.DELETE('/v1/recipients/{id}', { params: { path: { id: recipient.id } } }))}
    done={T.removed(toWho(recipient))}
    queryKey={['recipients']}
    onClose={onClose}
  >
    <p>{T.removeAbout}</p>
  </ConfirmRemoval>
)
