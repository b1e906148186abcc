/** Searches the raw bytes of files for texts, as an attacker with a copy of the disk would. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Finding = Readonly<{ file: string; text: string }>

/** The text as it is and as JSON, in the encodings that a database may use. */
const encodings = (text: string): readonly Buffer[] =>
  [...new Set([text, JSON.stringify(text).slice(1, -1)])].flatMap((form) => [
    Buffer.from(form, 'utf8'),
    Buffer.from(form, 'utf16le'),
  ])

/** The texts or bytes found in the files of a folder, except in files that `exempt` returns true for. */
export async function findInFiles(
  folder: string,
  texts: readonly (string | Uint8Array)[],
  exempt: (name: string) => boolean,
): Promise<readonly Finding[]> {
  const names = (await readdir(folder)).filter((name) => !exempt(name))
  const findings = await Promise.all(
    names.map(async (file) => {
      // A write-ahead log may have been deleted since the listing.
      const bytes = await readFile(join(folder, file)).catch(() => Buffer.alloc(0))
      return texts
        .filter((text) =>
          (typeof text === 'string' ? encodings(text) : [Buffer.from(text)]).some((form) => bytes.includes(form)),
        )
        .map((text) => ({ file, text: typeof text === 'string' ? text : Buffer.from(text).toString('hex') }))
    }),
  )
  return findings.flat()
}
