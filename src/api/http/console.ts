/**
 * Serves the built web console from memory: its files are read once at the start, so no path can leave the folder.
 * Every other path below /console gets index.html, because the console routes by URL itself.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../flows/errors.ts'
import type { Api } from './context.ts'
import { acceptedEncodings, type Encoding } from './encodings.ts'

/** The output of `npm run build:console`. */
const BUILT = join(import.meta.dirname, '../../../console/dist')
const ROOT = '/console'
const PAGE = 'index.html'

type Asset = Readonly<{ type: string; body: Buffer; compressed: ReadonlyMap<Encoding, Buffer> }>
type Assets = ReadonlyMap<string, Asset>

export function consoleRoutes(app: Api, folder: string = BUILT): void {
  const assets = readAssets(folder)
  const hidden = { schema: { hide: true } }
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.params as { '*'?: string })['*'] ?? ''
    return send(request, reply, find(assets, path))
  }
  const plainText = { config: { plainText: (_: unknown, { message }: Error) => `${message}\n` } }
  app.get(ROOT, { ...hidden, ...plainText }, serve)
  app.get(`${ROOT}/*`, { ...hidden, ...plainText }, serve)
  app.get('/', hidden, async (_request, reply) => reply.redirect(assets.has(PAGE) ? `${ROOT}/` : '/docs'))
}

/** Files with a content hash in their name never change, and are never a page. */
const isHashed = (path: string): boolean => path.startsWith('assets/')

function find(assets: Assets, path: string): Readonly<{ path: string; asset: Asset }> {
  const found = assets.get(path)
  if (found !== undefined) return { path, asset: found }
  const page = assets.get(PAGE)
  if (page === undefined) throw refuse('NOT_FOUND', 'The console is not built: run `npm run build:console` and restart')
  if (isHashed(path)) throw refuse('NOT_FOUND', 'The console has no such file')
  return { path: PAGE, asset: page }
}

const HEADERS = {
  'content-security-policy': [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'"],
    ...["connect-src 'self'", "frame-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-encoding',
}

function send(request: FastifyRequest, reply: FastifyReply, { path, asset }: ReturnType<typeof find>): FastifyReply {
  const encoding = acceptedEncodings(request.headers['accept-encoding']).find((one) => asset.compressed.has(one))
  reply.headers(HEADERS).type(asset.type)
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

/** By path; empty when the console is not built. */
function readAssets(folder: string): Assets {
  const bytes = new Map(
    filesOf(folder).map((path) => [relative(folder, path).split(sep).join('/'), readFileSync(path)]),
  )
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
