/** The thread that parses html. Its priority is low, but not the lowest: mail waits for it. */
import { serveThread } from '../../lib/thread-rpc.ts'
import type { HtmlFlaw } from '../../ports/html-inspector.ts'
import { findFlaws } from './flaws.ts'

export type HtmlMethods = { findFlaws: (html: string) => readonly HtmlFlaw[] }

await serveThread<HtmlMethods>(() => ({ methods: { findFlaws } }), {
  niceness: 10,
  // Not its message, which could quote the html.
  encodeError: (error) => error.name,
})
