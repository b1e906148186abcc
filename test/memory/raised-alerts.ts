/** Raised alerts in memory, for tests. */
import type { AlertKind } from '../../src/domain/alerts/alert.ts'
import type { Instant } from '../../src/lib/time.ts'
import type { RaisedAlerts } from '../../src/ports/raised-alerts.ts'

export function memoryRaisedAlerts(): RaisedAlerts {
  const raised = new Map<AlertKind, Map<string, Instant>>()
  const of = (kind: AlertKind): Map<string, Instant> => {
    const subjects = raised.get(kind) ?? new Map<string, Instant>()
    raised.set(kind, subjects)
    return subjects
  }
  return {
    async raise({ kind, subject }, at) {
      const since = of(kind).get(subject)
      if (since === undefined) of(kind).set(subject, at)
      return { since: since ?? at, isNew: since === undefined }
    },
    list: async (kind) => new Map(of(kind)),
    async clear({ kind, subject }, since) {
      return of(kind).get(subject) === since && of(kind).delete(subject)
    },
  }
}
