/** The text form of a scrypt hash, as in the PHC string format: `$scrypt$ln=15,r=8,p=3$<salt>$<key>`. */
export type ScryptParameters = Readonly<{ cost: number; blockSize: number; parallelization: number }>

/** Salt and key are in base64 without padding. */
export type PasswordHash = Readonly<{ parameters: ScryptParameters; salt: string; key: string }>

const ENCODED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

export const toUnpadded = (base64: string): string => base64.replace(/=+$/, '')

export function encodeHash({ parameters, salt, key }: PasswordHash): string {
  const { cost, blockSize, parallelization } = parameters
  return `$scrypt$ln=${Math.log2(cost)},r=${blockSize},p=${parallelization}$${salt}$${key}`
}

export function decodeHash(encoded: string): PasswordHash {
  const [, exponent, blockSize, parallelization, salt, key] = ENCODED.exec(encoded) ?? []
  if (salt === undefined || key === undefined) throw new Error('a stored password hash is damaged')
  const parameters = {
    cost: 2 ** Number(exponent),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  }
  return { parameters, salt, key }
}

export const haveSameParameters = (one: ScryptParameters, other: ScryptParameters): boolean =>
  one.cost === other.cost && one.blockSize === other.blockSize && one.parallelization === other.parallelization
