/** Shows the link of an invitation, which the gateway answers only once. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { USERS_TEXTS } from '../../texts/users.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Field } from '../../ui/parts.tsx'
import { FullTime } from '../../ui/time.tsx'
import type { Invited } from './user.ts'

const T = USERS_TEXTS

type LinkProps = Readonly<{ invited: Invited; onClose: () => void }>

export const InvitationLink = ({ invited: { user, invitation }, onClose }: LinkProps) => (
  <Dialog title={T.linkTitle(user.email)} onClose={onClose}>
    <div className="form">
      <p>
        {T.linkAbout} <FullTime at={invitation.expires_at} />.
      </p>
      <Field label={T.link}>
        <input readOnly className="mono" value={invitation.url} onFocus={(event) => event.target.select()} />
      </Field>
    </div>
    <div className="dialog-foot">
      <CopyButton text={invitation.url} what={T.link} />
      <Button kind="primary" onClick={onClose}>
        {COMMON_TEXTS.close}
      </Button>
    </div>
  </Dialog>
)
