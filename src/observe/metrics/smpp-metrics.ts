/** What SMPP clients ask for, and what they are told. */
import { Gauge, type Registry } from 'prom-client'
import { tally } from './tally.ts'

export type SmppMetrics = Readonly<{
  /** Each answer to a client, by its status in hexadecimal. */
  onSmppAnswer: (command: string, status: string) => void
  onSmppReceipt: (result: 'taken' | 'refused' | 'unanswered') => void
  /** A session was bound, or is gone. */
  onSmppSession: (bind: string, change: 1 | -1) => void
}>

export function smppMetrics(registers: Registry[]): SmppMetrics {
  const sessions = new Gauge({
    name: 'pombo_smpp_sessions',
    help: 'SMPP sessions that are bound',
    labelNames: ['bind'],
    registers,
  })
  return {
    onSmppAnswer: tally(registers, 'pombo_smpp_answers_total', 'Answers to SMPP clients', ['command', 'status']),
    onSmppReceipt: tally(registers, 'pombo_smpp_receipts_total', 'Delivery receipts sent to SMPP clients', ['result']),
    onSmppSession: (bind, change) => sessions.inc({ bind }, change),
  }
}
