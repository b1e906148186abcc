/** Branded ids. Each kind is created in one place, so one kind is never mistaken for another. */
import type { Brand } from '../lib/brand.ts'

export type MessageId = Brand<string, 'MessageId'>
export type TenantId = Brand<string, 'TenantId'>
export type AccountId = Brand<string, 'AccountId'>
export type RouteId = Brand<string, 'RouteId'>
export type OperatorId = Brand<string, 'OperatorId'>
export type ProviderName = Brand<string, 'ProviderName'>
export type TraceId = Brand<string, 'TraceId'>
export type EndpointId = Brand<string, 'EndpointId'>
export type ErasureId = Brand<string, 'ErasureId'>
export type AlertId = Brand<string, 'AlertId'>
/** A UUIDv7, so ids are in the order of time. */
export type WebhookAttemptId = Brand<string, 'WebhookAttemptId'>
export type SinkName = Brand<string, 'SinkName'>
/** Chosen by the caller or a UUID; several calls may share one. */
export type BatchId = Brand<string, 'BatchId'>
/**
 * `<message>.<cycle>.<attempt>.<kind>`, and a short hash of what distinguishes facts of one kind and attempt. In messages
 * of earlier releases it is a SHA-256 in hexadecimal instead. The log refuses a second event with the same id.
 */
export type EventId = Brand<string, 'EventId'>
/** SHA-256 of message, cycle and attempt: our reference at the provider. */
export type AttemptId = Brand<string, 'AttemptId'>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

export const parseMessageId = (text: string): MessageId | undefined =>
  UUID.test(text) ? (text.toLowerCase() as MessageId) : undefined

export const parseErasureId = (text: string): ErasureId | undefined =>
  UUID.test(text) ? (text.toLowerCase() as ErasureId) : undefined

export const parseWebhookAttemptId = (text: string): WebhookAttemptId | undefined =>
  UUID.test(text) ? (text.toLowerCase() as WebhookAttemptId) : undefined

/** Tenants, accounts, routes, operators and providers have names chosen by the operator, or UUIDs. */
const parseName = <Id extends string>(text: string): Id | undefined => (NAME.test(text) ? (text as Id) : undefined)
export const parseTenantId = (text: string): TenantId | undefined => parseName(text)
export const parseAccountId = (text: string): AccountId | undefined => parseName(text)
export const parseRouteId = (text: string): RouteId | undefined => parseName(text)
export const parseEndpointId = (text: string): EndpointId | undefined => parseName(text)
export const parseOperatorId = (text: string): OperatorId | undefined => parseName(text)
export const parseProviderName = (text: string): ProviderName | undefined => parseName(text)
export const parseSinkName = (text: string): SinkName | undefined => parseName(text)

const BATCH_ID = /^[A-Za-z0-9_-]{1,64}$/
export const parseBatchId = (text: string): BatchId | undefined => (BATCH_ID.test(text) ? (text as BatchId) : undefined)

/** Whether the id is a hash: all events of a message have the same form of id. */
export const isHashed = (id: EventId): boolean => !id.includes('.')

/** The part of the id that distinguishes an event from the others of its message; a hash has no parts. */
export const withinMessage = (id: EventId): string => id.slice(id.indexOf('.') + 1)

/** Identifies one attempt. */
export type AttemptRef = Readonly<{ messageId: MessageId; cycle: number; attempt: number }>
