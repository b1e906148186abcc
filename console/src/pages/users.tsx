/** The people who can sign in to the console. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { hasScope, useSession } from '../api/session.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { USERS_TEXTS } from '../texts/users.ts'
import { Items } from '../ui/items.tsx'
import { Button, Empty, PageHead } from '../ui/parts.tsx'
import { showErrorToast } from '../ui/toast.tsx'
import { ChangeUser } from './users/change-user.tsx'
import { InvitationLink } from './users/invitation-link.tsx'
import { InviteUser } from './users/invite-user.tsx'
import { RemoveUser } from './users/remove-user.tsx'
import { type Invited, USERS, type User } from './users/user.ts'
import { UserTable } from './users/user-table.tsx'

const T = USERS_TEXTS

type OpenDialog =
  | Readonly<{ kind: 'invite' }>
  | Readonly<{ kind: 'change' | 'remove'; user: User }>
  | Readonly<{ kind: 'link'; invited: Invited }>

export function Users() {
  const session = useSession()
  const mayOperate = hasScope(session, 'operator')
  const [dialog, setDialog] = useState<OpenDialog>()
  const list = useQuery({
    queryKey: USERS,
    queryFn: () => unwrap(api.GET('/v1/users')),
    enabled: hasScope(session, 'admin'),
  })
  const showLink = (invited: Invited): void => setDialog({ kind: 'link', invited })
  const again = useInvitingAgain(showLink)
  const close = (): void => setDialog(undefined)
  if (!hasScope(session, 'admin')) return <PageHead title={PAGES_TEXTS.users} about={T.notAllowed} />
  const invite = (
    <Button kind="primary" onClick={() => setDialog({ kind: 'invite' })}>
      {T.invite}
    </Button>
  )
  return (
    <>
      <PageHead title={PAGES_TEXTS.users} about={T.about} actions={invite} />
      <Items of={list.data?.items} error={list.error} empty={<Empty>{T.none}</Empty>}>
        {(users) => (
          <UserTable
            users={users}
            self={session?.user?.id}
            mayOperate={mayOperate}
            onChange={(user) => setDialog({ kind: 'change', user })}
            onInvite={(user) => again(user)}
            onRemove={(user) => setDialog({ kind: 'remove', user })}
          />
        )}
      </Items>
      {dialog?.kind === 'invite' && <InviteUser mayOperate={mayOperate} onInvited={showLink} onClose={close} />}
      {dialog?.kind === 'change' && <ChangeUser user={dialog.user} mayOperate={mayOperate} onClose={close} />}
      {dialog?.kind === 'remove' && (
        <RemoveUser user={dialog.user} isSelf={dialog.user.id === session?.user?.id} onClose={close} />
      )}
      {dialog?.kind === 'link' && <InvitationLink invited={dialog.invited} onClose={close} />}
    </>
  )
}

/** Draws a new link for a user. */
function useInvitingAgain(onInvited: (invited: Invited) => void): (user: User) => void {
  const queries = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: ({ id }: User) => unwrap(api.POST('/v1/users/{id}/invitation', { params: { path: { id } } })),
    onSuccess: async (invited) => {
      onInvited(invited)
      await queries.invalidateQueries({ queryKey: USERS })
    },
    onError: showErrorToast,
  })
  return mutate
}
