/** What a client is answered when the flows refuse its message, or cannot store it. */
import type { RefusalCode } from '../../flows/errors.ts'
import { Refusal } from '../../flows/errors.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { STATUS, type Status } from './pdu.ts'

/** A request that is answered with a status, for reasons of the protocol. */
export class Answered extends Error {
  readonly status: Status

  constructor(status: Status) {
    super(`answered with ${status}`)
    this.status = status
  }
}

const BY_CODE: Partial<Readonly<Record<RefusalCode, Status>>> = {
  RATE_LIMITED: STATUS.throttled,
  TOO_MANY_REQUESTS: STATUS.throttled,
  SEND_QUOTA_EXCEEDED: STATUS.queueFull,
  NO_ROUTE_FOUND: STATUS.invalidDestination,
  SENDER_NOT_ALLOWED: STATUS.invalidSource,
  RECIPIENT_SUPPRESSED: STATUS.rejected,
  TENANT_SUSPENDED: STATUS.rejected,
  TENANT_UNKNOWN: STATUS.rejected,
  TEST_MODE_UNAVAILABLE: STATUS.rejected,
  IDEMPOTENCY_MISMATCH: STATUS.submitFailed,
  UNAVAILABLE: STATUS.systemError,
  // The only field that is validated after the others is the validity period.
  VALIDATION_ERROR: STATUS.invalidExpiry,
}

/** Undefined for faults. */
export function statusOf(error: unknown): Status | undefined {
  if (error instanceof Answered) return error.status
  if (error instanceof Refusal) return BY_CODE[error.code] ?? STATUS.submitFailed
  return error instanceof Unavailable ? STATUS.systemError : undefined
}

/** By the field of the API that has a problem. */
const BY_FIELD: Readonly<Record<string, Status>> = {
  to: STATUS.invalidDestination,
  sender_id: STATUS.invalidSource,
  message: STATUS.invalidMessageLength,
}

export const statusOfField = (path: string): Status => BY_FIELD[path] ?? STATUS.submitFailed
