/** The peers of this run, installed once and started anew in every round. */
import { step } from '../step.ts'
import { installBullmq } from './bullmq.ts'
import { installKannel } from './kannel.ts'
import type { MeasurePeer, PeerName } from './peer.ts'

/** Without those that could not be installed. */
export type Peers = Readonly<Partial<Record<PeerName, MeasurePeer>>>

export async function installPeers(opened: DisposableStack): Promise<Peers> {
  const install = (name: string, take: () => Promise<MeasurePeer>) => step(`${name} is installed`, take, () => 'yes')
  const [kannel] = await install('Kannel', installKannel)
  const [bullmq] = await install('BullMQ', () => installBullmq(opened))
  return { ...(kannel && { kannel }), ...(bullmq && { bullmq }) }
}
