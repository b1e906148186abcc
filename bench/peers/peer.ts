/** What another system did under the same load. */
import type { LoadReport } from '../load.ts'

export type Peer = Readonly<{
  name: string
  load: LoadReport
  /** What came out at its other end over the same time; catching up on what went in before does not count. */
  endToEndPerSecond: number
  /** Of all its processes, at the end. */
  rssMb: number
  /** Whether the answer means that the message is on the disk. */
  durable: boolean
  /** How it was set up. */
  about: string
}>
