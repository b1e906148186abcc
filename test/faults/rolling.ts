/** Every member is told to stop, finishes what it has in hand, and is started again, one after the other. */
import { told } from '../support/sms.ts'
import { type Fault, underLoad } from './fault.ts'
import type { SteadyLoad } from './load.ts'

/** Between the moment a caller asks and the moment its connection is made. */
const SLACK_MS = 500

type Stop = Readonly<{ url: string; from: number; to: number }>

export const rolling: Fault = {
  name: 'rolling',
  promise: 'a rolling restart turns nobody away, and loses and doubles nothing',
  usual: { kills: 0, seconds: 0 },
  brief: { kills: 0, seconds: 0 },
  async harm({ site: { cluster }, load, plan: { rate, onProgress }, note }) {
    const problems: string[] = []
    const stops: Stop[] = []
    let slowestMs = 0
    for (const member of cluster.members) {
      const from = Date.now()
      const { code, signal } = await member.kill('SIGTERM')
      slowestMs = Math.max(slowestMs, Date.now() - from)
      if (code !== 0) problems.push(`${member.name} ended with ${code ?? signal}`)
      await member.start()
      stops.push({ url: member.url, from, to: Date.now() })
      await underLoad(load, rate / 2)
      onProgress(`${member.name} is back`)
    }
    note('slowest stop, ms', slowestMs)
    return [...problems, ...problemsOfRequests(load, stops)]
  },
  async afterwards(_scene, messages) {
    const abandoned = messages.filter(({ events }) => events.some((event) => told(event, 'code') === 'ABANDONED'))
    return abandoned.map(({ request_id: id }) => `an attempt at ${id} was not finished before the end`)
  },
}

/** A caller may find nobody at the door of the one that stops, and nothing worse anywhere. */
function problemsOfRequests({ setbacks }: SteadyLoad, stops: readonly Stop[]): string[] {
  return setbacks
    .filter(({ kind, url, askedAt }) => {
      const isStopping = stops.some((stop) => stop.url === url && askedAt >= stop.from - SLACK_MS && askedAt <= stop.to)
      return kind !== 'refused' || !isStopping
    })
    .map(({ kind, url, tookMs }) => `a request to ${url} was ${kind} after ${Math.round(tookMs)} ms`)
}
