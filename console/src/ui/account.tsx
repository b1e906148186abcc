/** Who is signed in, as what, and where. */
import { KeyRound, LogOut } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { createPortal } from 'react-dom'
import { type Session, signOut } from '../api/session.ts'
import { APP_TEXTS } from '../texts/app.ts'
import { USERS_TEXTS } from '../texts/users.ts'
import { Button } from './parts.tsx'
import { showToast } from './toast.tsx'

const T = APP_TEXTS

const ChangePassword = lazy(async () => ({ default: (await import('./change-password.tsx')).ChangePassword }))

export function Account({ session: { user, tenantId, accountId } }: Readonly<{ session: Session }>) {
  const [isChanging, setChanging] = useState(false)
  const leave = (): void => void signOut().catch(() => showToast(T.notSignedOut, 'bad'))
  return (
    <div className="nav-account">
      <span className="nav-who">
        {user === undefined ? <strong>{T.byToken}</strong> : <Address email={user.email} />}
        <span className="soft">{user === undefined ? `${tenantId} · ${accountId}` : roleIn(user.role, tenantId)}</span>
      </span>
      <span className="nav-account-actions">
        {user?.sign_in === 'password' && (
          <IconButton
            name={T.changePassword}
            icon={<KeyRound aria-hidden="true" />}
            onClick={() => setChanging(true)}
          />
        )}
        <IconButton name={T.signOut} icon={<LogOut aria-hidden="true" />} onClick={leave} />
      </span>
      {isChanging &&
        createPortal(
          <Suspense>
            <ChangePassword onClose={() => setChanging(false)} />
          </Suspense>,
          document.body,
        )}
    </div>
  )
}

const roleIn = (role: keyof typeof USERS_TEXTS.roles, tenant: string): string =>
  `${USERS_TEXTS.roles[role]} · ${tenant}`

type IconButtonProps = Readonly<{ name: string; icon: React.ReactNode; onClick: () => void }>

const IconButton = ({ name, icon, onClick }: IconButtonProps) => (
  <Button kind="plain" className="icon-only" aria-label={name} title={name} onClick={onClick}>
    {icon}
  </Button>
)

/** Breaks before the @ where it is too long. */
function Address({ email }: Readonly<{ email: string }>) {
  const at = email.lastIndexOf('@')
  return (
    <strong>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </strong>
  )
}
