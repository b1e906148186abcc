/** Shows a new API key, which the gateway returns only once. */
import { API_KEYS_TEXTS } from '../../texts/api-keys.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Facts } from '../../ui/parts.tsx'
import { FullTime } from '../../ui/time.tsx'
import type { ApiKey, Issued } from './api-key.ts'

const T = API_KEYS_TEXTS

/** `previous` is the key that a rotation replaces. */
type IssuedProps = Readonly<{ issued: Issued & Readonly<{ previous?: ApiKey }>; onClose: () => void }>

export const IssuedApiKey = ({ issued, onClose }: IssuedProps) => (
  <Dialog title={T.issuedTitle(issued.name)} onClose={onClose}>
    <div className="form">
      <p className="note warn">{T.onlyOnce}</p>
      <code className="issued-key">{issued.key}</code>
      <ForOtherProtocols issued={issued} />
      {issued.previous !== undefined && <Previous previous={issued.previous} />}
    </div>
    <div className="dialog-foot">
      <CopyButton text={issued.key} what={T.key} />
      <Button kind="primary" onClick={onClose}>
        {COMMON_TEXTS.close}
      </Button>
    </div>
  </Dialog>
)

/** What programs need besides the key if they use Twilio's libraries or SMPP. */
const ForOtherProtocols = ({ issued }: Readonly<{ issued: Issued }>) => {
  const { twilio_account_sid: sid, smpp_password: password } = issued
  return (
    <Facts
      facts={[
        [T.twilioAccountSid, <code key="sid">{sid}</code>],
        [T.smppPassword, password && <code key="password">{password}</code>],
      ]}
    />
  )
}

const Previous = ({ previous: { status, expires_at: until } }: Readonly<{ previous: ApiKey }>) => (
  <p>
    {status !== 'active' || until === null ? (
      T.previousEnded
    ) : (
      <>
        {T.previousUntil} <FullTime at={until} />.
      </>
    )}
  </p>
)
