/**
 * The files of a built page, read once at the start, so no path can leave their folder. A file has compressed copies beside
 * it. A path below `assets/` contains the hash of the content.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncodings, type Encoding } from './encodings.ts'

/** The output of `npm run build:console`. */
export const BUILT = join(import.meta.dirname, '../../../console/dist')
export const PAGE = 'index.html'

type Asset = Readonly<{ type: string; body: Buffer; compressed: ReadonlyMap<Encoding, Buffer> }>
export type Assets = ReadonlyMap<string, Asset>

/** Files with a content hash in their name never change, and are never a page. */
export const isHashed = (path: string): boolean => path.startsWith('assets/')

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-encoding',
}

export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, asset, policy }: Readonly<{ path: string; asset: Asset; policy: string }>,
): FastifyReply {
  const encoding = acceptedEncodings(request.headers['accept-encoding']).find((one) => asset.compressed.has(one))
  reply.headers({ ...HEADERS, 'content-security-policy': policy }).type(asset.type)
  reply.header('cache-control', isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply.send((encoding && asset.compressed.get(encoding)) ?? asset.body)
}

const COMPRESSED: Readonly<Record<string, Encoding>> = { '.br': 'br', '.gz': 'gzip' }

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** By path; empty when the folder is not built. `except` is a folder in it that is left out. */
export function readAssets(folder: string, except?: string): Assets {
  const paths = filesOf(folder).map((path) => [relative(folder, path).split(sep).join('/'), path] as const)
  const wanted = paths.filter(([path]) => except === undefined || !path.startsWith(`${except}/`))
  const bytes = new Map(wanted.map(([path, file]) => [path, readFileSync(file)]))
  return new Map(
    [...bytes].flatMap(([path, body]): [string, Asset][] => {
      if (isCompressed(path, bytes)) return []
      const compressed = Object.entries(COMPRESSED).flatMap(([suffix, encoding]): [Encoding, Buffer][] => {
        const found = bytes.get(path + suffix)
        return found === undefined ? [] : [[encoding, found]]
      })
      return [
        [path, { type: TYPES[extname(path)] ?? 'application/octet-stream', body, compressed: new Map(compressed) }],
      ]
    }),
  )
}

/** A compressed copy of a file beside it. */
const isCompressed = (path: string, all: ReadonlyMap<string, unknown>): boolean =>
  extname(path) in COMPRESSED && all.has(path.slice(0, -extname(path).length))

const filesOf = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : []
