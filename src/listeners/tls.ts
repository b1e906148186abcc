/**
 * The certificate of the listeners. Its files are looked at every few seconds, by name and not by a file-system watch,
 * because tools that renew certificates replace files or the links to them. While a renewed certificate and its key do
 * not fit together, as between two writes, the previous pair stays in use.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { type Millis, seconds } from '../lib/time.ts'

export type CertificateFiles = Readonly<{ certificateFile: string; keyFile: string }>

/** In PEM, as `createSecureContext` and `tls.Server#setSecureContext` take it. */
export type Certificate = Readonly<{ cert: string; key: string }>

export type ServerTls = Disposable &
  Readonly<{
    current: () => Certificate
    /** Calls `use` with each renewed certificate. */
    onRenewed: (use: (certificate: Certificate) => void) => void
  }>

export type TlsOptions = Readonly<{
  log: (level: 'info' | 'warn', event: string, fields?: Readonly<Record<string, unknown>>) => void
  /** How often the files are looked at. */
  every?: Millis
}>

/** Throws when the files cannot be read or do not fit together. */
export function openServerTls(files: CertificateFiles, { log, every = seconds(15) }: TlsOptions): ServerTls {
  const listeners: ((certificate: Certificate) => void)[] = []
  let certificate = read(files)
  let lastProblem = ''

  function look(): void {
    const next = attempt(files)
    if (typeof next === 'string') {
      if (next !== lastProblem)
        log('warn', 'tls: the certificate cannot be used, keeping the previous', { reason: next })
      lastProblem = next
      return
    }
    lastProblem = ''
    if (next.cert === certificate.cert && next.key === certificate.key) return
    certificate = next
    for (const use of listeners) use(next)
    log('info', 'tls: certificate renewed', { valid_to: new X509Certificate(next.cert).validToDate.toISOString() })
  }

  const timer = setInterval(look, every)
  timer.unref()
  return {
    current: () => certificate,
    onRenewed: (use) => void listeners.push(use),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** The pair, or why it cannot be used. */
function attempt(files: CertificateFiles): Certificate | string {
  try {
    return read(files)
  } catch (error) {
    // A code such as ENOENT, never a text that could quote the key.
    return error instanceof Error && 'code' in error ? String(error.code) : 'the key is that of another certificate'
  }
}

function read({ certificateFile, keyFile }: CertificateFiles): Certificate {
  const [cert, key] = [readFileSync(certificateFile, 'utf8'), readFileSync(keyFile, 'utf8')]
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('the key does not fit')
  // Reads the whole chain, as the servers will: its end may not be written yet.
  createSecureContext({ cert, key })
  return { cert, key }
}
