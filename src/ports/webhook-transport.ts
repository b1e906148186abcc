/** Carries a notice to an address of a customer. Never follows a redirect, never calls an address it must not. */
import type { Carried } from '../domain/webhooks/retry-schedule.ts'

export type Parcel = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string }>

export interface Courier {
  carry(parcel: Parcel, signal: AbortSignal): Promise<Carried>
}
