/** The certificate that the SMTP and SMPP listeners present. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { Type } from 'typebox'
import { text } from './setting.ts'
import type { Settings } from './settings.ts'

export const TLS_SETTINGS = {
  tlsCertificateFile: Type.Optional(
    text({
      env: 'POMBO_TLS_CERTIFICATE_FILE',
      must: 'the path of a PEM file',
      description:
        'The certificate of the SMTP and SMPP listeners, followed by its intermediate certificates. A renewed certificate is used within half a minute, without a restart.',
    }),
  ),
  tlsKeyFile: Type.Optional(
    text({
      env: 'POMBO_TLS_KEY_FILE',
      must: 'the path of a PEM file',
      description: 'The private key of POMBO_TLS_CERTIFICATE_FILE.',
    }),
  ),
}

type TlsSettings = Pick<Settings, 'tlsCertificateFile' | 'tlsKeyFile'>
type CertificateFiles = Readonly<{ certificateFile: string; keyFile: string }>

/** Undefined where no certificate is set. */
export function certificateFilesOf({ tlsCertificateFile, tlsKeyFile }: TlsSettings): CertificateFiles | undefined {
  if (tlsCertificateFile === undefined || tlsKeyFile === undefined) return undefined
  return { certificateFile: tlsCertificateFile, keyFile: tlsKeyFile }
}

/** One without the other, files that cannot be read, and a key of another certificate. */
export function tlsProblems(settings: TlsSettings, readFile: (path: string) => string): string[] {
  const { tlsCertificateFile, tlsKeyFile } = settings
  const files = certificateFilesOf(settings)
  if (files === undefined) {
    if (tlsCertificateFile === tlsKeyFile) return []
    const [missing, given] =
      tlsKeyFile === undefined
        ? ['POMBO_TLS_KEY_FILE', 'POMBO_TLS_CERTIFICATE_FILE']
        : ['POMBO_TLS_CERTIFICATE_FILE', 'POMBO_TLS_KEY_FILE']
    return [`${missing} is not set; ${given} needs it`]
  }
  const problems: string[] = []
  const certificate = readPem('POMBO_TLS_CERTIFICATE_FILE', files.certificateFile, toCertificate(readFile), problems)
  const key = readPem('POMBO_TLS_KEY_FILE', files.keyFile, toPrivateKey(readFile), problems)
  if (certificate !== undefined && key !== undefined && !certificate.checkPrivateKey(key)) {
    problems.push(
      'POMBO_TLS_KEY_FILE is not the key of the first certificate in POMBO_TLS_CERTIFICATE_FILE; correct one of them',
    )
  }
  return problems
}

type ReadFile = Parameters<typeof tlsProblems>[1]
const toCertificate = (readFile: ReadFile) => (path: string) => new X509Certificate(readFile(path))
const toPrivateKey = (readFile: ReadFile) => (path: string) => createPrivateKey(readFile(path))

function readPem<Value>(name: string, path: string, read: (path: string) => Value, problems: string[]) {
  try {
    return read(path)
  } catch {
    // Not the reason: it could quote the key.
    problems.push(`${name} is ${JSON.stringify(path)}, which is not a readable PEM file; correct the path or the file`)
    return undefined
  }
}
