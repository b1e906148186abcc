/** Generates self-signed certificates, so that the repository contains no keys. */
import { generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto'

/** Encodes one DER value: tag, length, content. */
function der(tag: number, ...values: readonly Buffer[]): Buffer {
  const value = Buffer.concat(values)
  const { length } = value
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

const sequence = (...values: readonly Buffer[]): Buffer => der(0x30, ...values)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const time = (at: number): Buffer =>
  der(
    0x17,
    Buffer.from(
      `${new Date(at)
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  )
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value))

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const RSA_SHA256 = sequence(oid('2a864886f70d01010b'), der(0x05))
const NAME = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('smsc')))))
const IS_AUTHORITY = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))))
const VERSION_3 = der(0xa0, der(0x02, Buffer.from([2])))
const DAY_MS = 24 * 60 * 60 * 1000

export type CertificateOptions = Readonly<{ pair?: KeyPairKeyObjectResult; from?: number; until?: number }>

/** A certificate in PEM for this IPv4 address. */
export function selfSigned(address: string, given: CertificateOptions = {}): Readonly<{ key: string; cert: string }> {
  const { pair, from = Date.now() - DAY_MS, until = Date.now() + DAY_MS } = given
  const { privateKey, publicKey } = pair ?? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = privateKey.asymmetricKeyType === 'rsa' ? RSA_SHA256 : ECDSA_SHA256
  const altName = extension('551d11', sequence(der(0x87, Buffer.from(address.split('.').map(Number)))))
  const body = sequence(
    VERSION_3,
    der(0x02, Buffer.from([1])),
    algorithm,
    NAME,
    sequence(time(from), time(until)),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName, IS_AUTHORITY)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const base64 = sequence(body, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}
