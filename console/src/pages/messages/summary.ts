/** What an answer of the API says about all that matches. */
import type { SearchReport, Total } from '../../api/client.ts'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'

const T = MESSAGES_TEXTS

/** `1,000+ messages` */
export const toTotalText = ({ value, relation }: Total): string =>
  relation === 'eq' ? T.messages(value) : T.atLeast(value)

const NAMES: Readonly<Record<string, string>> = T.foundBy.names
const nameOf = (kind: string): string => NAMES[kind] ?? kind.replaceAll('_', ' ')

/** `Found by recipient`, or what was looked for in vain. */
export const toFoundBy = ({ found_by, tried }: SearchReport): string =>
  found_by === null ? T.foundBy.nothing(tried.map(nameOf).join(', ')) : T.foundBy.text(nameOf(found_by))
