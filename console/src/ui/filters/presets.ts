/** Common ranges of time, in local time. */
export const PRESETS = ['hour', 'today', 'yesterday', 'week'] as const
export type Preset = (typeof PRESETS)[number]

type Range = Readonly<{ from: string; to: string | undefined }>

const HOUR = 3_600_000

export function toRange(preset: Preset, now: Date): Range {
  switch (preset) {
    case 'hour':
      return { from: new Date(now.getTime() - HOUR).toISOString(), to: undefined }
    case 'today':
      return { from: midnight(now, 0), to: undefined }
    case 'yesterday':
      return { from: midnight(now, -1), to: midnight(now, 0) }
    case 'week':
      return { from: new Date(now.getTime() - 7 * 24 * HOUR).toISOString(), to: undefined }
  }
}

/** Days are not always 24 hours long. */
const midnight = (now: Date, days: number): string =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).toISOString()
