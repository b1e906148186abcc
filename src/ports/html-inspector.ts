/** Parses HTML as a browser does and finds what emails must not contain. Runs off the main thread. */

import type { MessageId } from '../domain/ids.ts'

/** A dangerous construct and its line, from 1. `detail` names elements and attributes and quotes nothing else. */
export type HtmlFlaw = Readonly<{ detail: string; line: number }>

export interface HtmlInspector {
  /**
   * The first few flaws in document order; none if it may be sent. Results are cached by message id: an email is
   * checked before each attempt, and its HTML never changes.
   */
  inspect(html: string, of?: MessageId): Promise<readonly HtmlFlaw[]>
}
