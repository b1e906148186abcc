/** The error of the message, what it means, and what to do about it. */
import type { MessageDetails } from '../../api/client.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { Card } from '../../ui/parts.tsx'

const T = MESSAGE_TEXTS.error

export function ErrorCard({ details: { error } }: Readonly<{ details: MessageDetails }>) {
  if (error === null) return null
  return (
    <Card className="message-error" title={T.title}>
      <p className="message-error-advice">{error.advice}</p>
      <p>
        <code>{error.code}</code> <span className="soft">{error.meaning}</span>
      </p>
      {error.detail !== null && error.detail !== '' && (
        <p className="soft">
          {T.detail}: {error.detail}
        </p>
      )}
    </Card>
  )
}
