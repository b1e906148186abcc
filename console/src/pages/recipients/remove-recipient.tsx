/** Confirms the removal of a recipient. */
import { api, unwrap } from '../../api/client.ts'
import { RECIPIENTS_TEXTS } from '../../texts/recipients.ts'
import { ConfirmRemoval } from '../../ui/confirm.tsx'
import { displayName, type Recipient } from './recipient.ts'

const T = RECIPIENTS_TEXTS

type RemoveProps = Readonly<{ recipient: Recipient; onClose: () => void }>

export const RemoveRecipient = ({ recipient, onClose }: RemoveProps) => (
  <ConfirmRemoval
    title={T.removeTitle(displayName(recipient))}
    remove={() => unwrap(api.DELETE('/v1/recipients/{id}', { params: { path: { id: recipient.id } } }))}
    done={T.removed(displayName(recipient))}
    queryKey={['recipients']}
    onClose={onClose}
  >
    <p>{T.removeAbout}</p>
  </ConfirmRemoval>
)
