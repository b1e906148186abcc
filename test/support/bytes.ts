/** Looking for texts in the raw bytes of files, as somebody would who got hold of the disk. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where a text was found, and which. */
export type Finding = Readonly<{ file: string; text: string }>

/** Every way a text may be written: as it is and as JSON has it, in the encodings a database may use. */
const encodings = (text: string): readonly Buffer[] =>
  [...new Set([text, JSON.stringify(text).slice(1, -1)])].flatMap((form) => [
    Buffer.from(form, 'utf8'),
    Buffer.from(form, 'utf16le'),
  ])

/** The texts, or plain bytes, that are in files of a folder but for those `exempt` says. */
export async function findInFiles(
  folder: string,
  texts: readonly (string | Uint8Array)[],
  exempt: (name: string) => boolean,
): Promise<readonly Finding[]> {
  const names = (await readdir(folder)).filter((name) => !exempt(name))
  const findings = await Promise.all(
    names.map(async (file) => {
      // A write-ahead log may be gone again by now, and what is gone holds nothing.
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
