/**
 * Builds the API reference: a page with Scalar, which comes from the package of its Fastify plugin because that one is
 * already bundled. Every file but the page has the hash of its content in its name.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

const HERE = import.meta.dirname
const read = (path: string): string => readFileSync(join(HERE, path), 'utf8')

export async function buildReference(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'assets'), { recursive: true })
  /** Returns the URL of the file. */
  const write = (name: string, content: string | Buffer): string => {
    const path = `assets/${hashed(name, content)}`
    writeFileSync(join(folder, path), content)
    return `/docs/${path}`
  }
  const tokens = read('../src/styles/tokens.css').replaceAll(FONT, (font) => write(basename(font), readFont(font)))
  const files = new Map([
    ['scalar.js', await scalarCode()],
    ['main.js', read('main.js')],
    ['reference.css', tokens + read('reference.css')],
    ['icon.svg', read('../src/icon.svg')],
  ])
  let page = read('index.html')
  for (const [name, text] of files) page = page.replaceAll(`"${name}"`, `"${write(name, text)}"`)
  writeFileSync(join(folder, 'index.html'), page)
}

/** A font of a package, as the style sheets name it. */
const FONT = /@fontsource-variable\/[^"]+/g
const readFont = (path: string): Buffer => readFileSync(fileURLToPath(import.meta.resolve(path)))

function hashed(name: string, content: string | Buffer): string {
  const type = extname(name)
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
  return `${name.slice(0, -type.length)}-${hash}${type}`
}

/** Without its source map, which the page would ask for and not get. */
async function scalarCode(): Promise<string> {
  await using app = Fastify()
  await app.register(scalar, { routePrefix: '/docs', configuration: { content: {} } })
  const { statusCode, body } = await app.inject('/docs/js/scalar.js')
  if (statusCode !== 200) throw new Error(`Scalar's plugin responded ${statusCode} to /docs/js/scalar.js`)
  return body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
}
