/** The masked recipient of a message, with the name of the country on hover. */
import { toCountryName } from './country.ts'
import { type Addressed, toRecipient } from './recipient.ts'

export const RecipientName = ({ of: message }: Readonly<{ of: Addressed }>) => (
  <span className="nums" title={message.country ? toCountryName(message.country) : undefined}>
    {toRecipient(message)}
  </span>
)
