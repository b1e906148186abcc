import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1'
import { ROOT, textOf, yamlIn } from './files.ts'

const [ingress] = yamlIn('deploy/kubernetes/overlays/example/ingress.yaml') as [IIngress]
const paths = ingress.spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? []

/** A prefix matches whole segments of the path. */
const isServed = (path: string): boolean =>
  paths.some(({ path: served = '', pathType }) =>
    pathType === 'Exact' ? path === served : path === served || path.startsWith(`${served}/`),
  )

/** Answers to whoever may ask, about what is nobody's business outside. */
const INTERNAL = ['/health/ready', '/metrics']

describe('the example ingress', () => {
  test('serves every call of the API, except those for monitoring inside', () => {
    const { paths: calls } = JSON.parse(textOf('docs/openapi.json')) as { paths: object }
    assert.ok(Object.keys(calls).length > 50)
    assert.deepEqual(
      Object.keys(calls).filter((path) => !isServed(path)),
      INTERNAL,
    )
  })

  test('serves the console, the API description, and nothing else', () => {
    for (const path of ['/', '/console', '/console/', '/console/assets/index.js', '/docs', '/docs/', '/openapi.json']) {
      assert.ok(isServed(path), path)
    }
    for (const path of ['/v2', '/consoles', '/apis', '/health', '/.env']) assert.equal(isServed(path), false, path)
  })

  test('lets the largest bodies through that Pombo takes', () => {
    const limits = readdirSync(join(ROOT, 'src/api'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .flatMap((path) => [...textOf(`src/api/${path}`).matchAll(/_LIMIT = (\d+) \* 1024 \* 1024$/gm)])
      .map(([, megabytes]) => Number(megabytes))
    assert.ok(limits.length > 3)
    const allowed = ingress.metadata?.annotations?.['nginx.ingress.kubernetes.io/proxy-body-size']
    assert.equal(allowed, `${Math.max(...limits)}m`)
  })
})
