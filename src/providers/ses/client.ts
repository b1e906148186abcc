/**
 * The AWS SDK's SES client over our own HTTP, which knows whether a request was certainly not sent. The SDK's retries
 * are off: a call that fails may have been processed. The SDK is loaded when the first mail is sent.
 */
import type { SESv2Client, SESv2ClientConfig, SendEmailCommand, SendEmailCommandInput } from '@aws-sdk/client-sesv2'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Millis } from '../../lib/time.ts'
import { type Http, type HttpAnswer, type HttpFailure, retryAfterOf } from '../http.ts'
import type { SesAnswer } from './errors.ts'
import { type Settings, toCredentials } from './settings.ts'

export type CallResult =
  /** `id` is missing if SES returned none. */
  | Readonly<{ kind: 'accepted'; id?: string }>
  | Readonly<{ kind: 'refused'; answer: SesAnswer; wait: Millis }>
  /** The request could not be signed, so it was not sent. */
  | Readonly<{ kind: 'unsigned'; reason: string }>
  | HttpFailure

export type Call = Readonly<{ input: SendEmailCommandInput; traceparent: string; signal: AbortSignal }>
export type Client = Readonly<{ call: (call: Call) => Promise<CallResult> }>

export function openClient(settings: Settings, http: Http, clock: Clock): Client {
  const config = toConfig(settings, http)
  const load = async () => {
    const sdk = await import('@aws-sdk/client-sesv2')
    return { sdk, client: new sdk.SESv2Client(config) }
  }
  let loading: ReturnType<typeof load> | undefined
  return {
    async call(call) {
      loading ??= load()
      const { sdk, client } = await loading
      return make(client, new sdk.SendEmailCommand(call.input), call, clock)
    },
  }
}

function toConfig(settings: Settings, http: Http): SESv2ClientConfig {
  const { region, endpoint } = settings
  const credentials = toCredentials(settings)
  return omitUndefined({ region, maxAttempts: 1, requestHandler: toTransport(http), endpoint, credentials })
}

/** A signed request of the SDK. */
type SignedRequest = Readonly<{
  protocol: string
  hostname: string
  port?: number
  path: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
}>

class Unanswered extends Error {
  readonly failure: HttpFailure
  constructor(failure: HttpFailure) {
    super(failure.reason)
    this.failure = failure
  }
}

const toTransport = (http: Http) => ({
  async handle(request: SignedRequest, { abortSignal }: Readonly<{ abortSignal: AbortSignal }>) {
    const result = await http.send(toRequest(request), abortSignal)
    if (result.kind !== 'answered') throw new Unanswered(result)
    const { status: statusCode, headers, body } = result
    return { response: { statusCode, headers: toHeaderBag(headers), body } }
  },
})

function toRequest({ protocol, hostname, port, path, headers, body }: SignedRequest) {
  const host = port === undefined ? hostname : `${hostname}:${port}`
  return { method: 'POST', url: `${protocol}//${host}${path}`, headers, body } as const
}

const toHeaderBag = (headers: HttpAnswer['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`]))

async function make(client: SESv2Client, command: SendEmailCommand, call: Call, clock: Clock): Promise<CallResult> {
  const { traceparent, signal: abortSignal } = call
  let progress: Progress = 'unsigned'
  // The innermost middleware: the next step is our transport. The SDK may replace our error with its own.
  command.middlewareStack.add(
    (next) => async (args) => {
      progress = 'signed'
      Object.assign((args.request as SignedRequest).headers, { traceparent })
      return next(args).catch((error: unknown) => {
        if (error instanceof Unanswered) progress = error.failure
        throw error
      })
    },
    { step: 'deserialize', priority: 'low', name: 'progress' },
  )
  try {
    const { MessageId: id } = await client.send(command, { abortSignal })
    return omitUndefined({ kind: 'accepted' as const, id })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return toCallResult(progress, error, clock)
  }
}

/** How far a call got, or how the network failed. */
type Progress = 'unsigned' | 'signed' | HttpFailure

function toCallResult(progress: Progress, error: Error, clock: Clock): CallResult {
  switch (progress) {
    case 'unsigned':
      return { kind: 'unsigned', reason: error.name }
    case 'signed':
      return toRefusal(error, clock)
    default:
      return progress
  }
}

const EMPTY = new Uint8Array()

type Answered = Error & Readonly<{ $response?: Readonly<{ statusCode: number; headers: Record<string, string> }> }>

/** Names that the SDK gives to an answer without an error name or without JSON. */
const SDK_NAMES: ReadonlySet<string> = new Set(['Error', 'Unknown', 'UnknownError', 'SyntaxError'])

/** An error without a response has the status 0, which is unknown. */
function toRefusal({ name: given, message: text, $response }: Answered, clock: Clock): CallResult {
  const name = SDK_NAMES.has(given) ? '' : given
  const { statusCode: status, headers } = $response ?? { statusCode: 0, headers: {} }
  const wait = retryAfterOf({ kind: 'answered', status, headers, body: EMPTY }, clock())
  return { kind: 'refused', answer: { status, name, text }, wait }
}
