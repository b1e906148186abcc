/** Shows the curl calls that read this message and send a similar one. */
import type { MessageDetails } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Button } from '../../ui/parts.tsx'
import { toReadCall, toSendCall } from './curl.ts'

const T = MESSAGE_TEXTS.actions

export function CurlDialog({ details, onClose }: Readonly<{ details: MessageDetails; onClose: () => void }>) {
  return (
    <Dialog title={T.curlTitle} onClose={onClose}>
      <p className="soft">{T.curlAbout}</p>
      <Call name={T.curlRead} call={toReadCall(location.origin, details)} />
      <Call name={T.curlSend} call={toSendCall(location.origin, details)} />
      <div className="dialog-foot">
        <Button onClick={onClose}>{COMMON_TEXTS.close}</Button>
      </div>
    </Dialog>
  )
}

const Call = ({ name, call }: Readonly<{ name: string; call: string }>) => (
  <section className="curl">
    <div className="row">
      <h3>{name}</h3>
      <CopyButton text={call} what={name} />
    </div>
    <pre>{call}</pre>
  </section>
)
