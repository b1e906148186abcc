/** Reads html as a browser would, and finds what mail must not bring along. Takes its time off the way of others. */

import type { MessageId } from '../domain/ids.ts'

/** What is dangerous, and in which line, from 1. `detail` names elements and attributes, and quotes nothing else. */
export type HtmlFlaw = Readonly<{ detail: string; line: number }>

export interface HtmlInspector {
  /**
   * The first few flaws, in the order of the text; none where it may go out. Of a message that is named, what was
   * found is remembered for a while: it may be looked at often, and its html never changes.
   */
  inspect(html: string, of?: MessageId): Promise<readonly HtmlFlaw[]>
}
