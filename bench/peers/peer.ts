/** The result of another system under the same load. */
import type { LoadReport } from '../load.ts'

export type Peer = Readonly<{
  name: string
  load: LoadReport
  /** The output rate; draining an earlier backlog does not count. */
  endToEndPerSecond: number
  /** Of all its processes at the end. */
  rssMb: number
  /** Whether a response means that the message is on disk. */
  durable: boolean
  /** Its configuration. */
  about: string
}>
