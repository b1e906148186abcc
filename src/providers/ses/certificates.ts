/**
 * The certificates that SNS signs with, fetched over TLS from the SNS host of the topic's region and from nowhere else:
 * that is what makes them trustworthy. They are cached; failures are not.
 */
import { X509Certificate } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { describeReason, type Http } from '../http.ts'

/** The page at a URL of SNS; undefined if there is none. Throws `Unavailable` if SNS does not answer. */
export type Get = (url: string) => Promise<string | undefined>

/** SNS waits 15 seconds for our own answer. */
const TIMEOUT = seconds(5)

export const getter =
  (http: Http): Get =>
  async (url) => {
    const result = await http.send({ method: 'GET', url }, AbortSignal.timeout(TIMEOUT))
    if (result.kind !== 'answered') throw new Unavailable(`SNS did not answer: ${describeReason(result.reason)}`)
    if (result.status === 429 || result.status >= 500) throw new Unavailable(`SNS answered ${result.status}`)
    return result.status === 200 ? Buffer.from(result.body).toString() : undefined
  }

/** The SNS endpoint of a topic. Similar names are not SNS: anybody can own the S3 bucket `sns.s3-us-west-2`. */
function originOf(topic: string): string {
  const [, partition = '', , region = ''] = topic.split(':')
  return `https://sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
}

/** A URL of the topic's SNS endpoint; undefined for any other. */
export function parseSnsUrl(text: string, topic: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.origin !== originOf(topic)) return undefined
  return url.username === '' && url.password === '' ? url : undefined
}

const CERTIFICATE = /^\/SimpleNotificationService-[0-9a-f]+\.pem$/i

const CAPACITY = 16
const CACHED_FOR = seconds(24 * 60 * 60)

type Deps = Readonly<{ get: Get; clock: Clock }>
type Cached = Readonly<{ until: Instant; certificate: Promise<X509Certificate | undefined> }>

export class Certificates {
  readonly #deps: Deps
  readonly #cache = new Map<string, Cached>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The certificate at this URL; undefined if SNS does not sign this topic with it now. */
  async of(text: string, topic: string): Promise<X509Certificate | undefined> {
    const url = parseSnsUrl(text, topic)
    if (url === undefined || !CERTIFICATE.test(url.pathname) || url.search + url.hash !== '') return undefined
    const certificate = await this.#fetch(url.href)
    return certificate !== undefined && isValidAt(certificate, this.#deps.clock()) ? certificate : undefined
  }

  async #fetch(url: string): Promise<X509Certificate | undefined> {
    const now = this.#deps.clock()
    const cached = this.#cache.get(url)
    if (cached !== undefined && now < cached.until) return cached.certificate
    const fetched: Cached = { until: later(now, CACHED_FOR), certificate: this.#deps.get(url).then(parseCertificate) }
    this.#add(url, fetched)
    try {
      const certificate = await fetched.certificate
      if (certificate === undefined) this.#remove(url, fetched)
      return certificate
    } catch (error) {
      this.#remove(url, fetched)
      throw error
    }
  }

  #add(url: string, entry: Cached): void {
    this.#cache.delete(url)
    this.#cache.set(url, entry)
    const [oldest = ''] = this.#cache.keys()
    if (this.#cache.size > CAPACITY) this.#cache.delete(oldest)
  }

  #remove(url: string, entry: Cached): void {
    if (this.#cache.get(url) === entry) this.#cache.delete(url)
  }
}

function parseCertificate(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem)
  } catch {
    return undefined
  }
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, at: Instant): boolean =>
  validFromDate.getTime() <= at && at <= validToDate.getTime()
