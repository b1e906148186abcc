import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { checkRequest, readAuthorization } from './http-guard.ts'

const NAMES = ['mcp.example.com']

const status = (headers: Readonly<Record<string, string>>, url = '/mcp', method = 'POST'): number | undefined =>
  checkRequest({ headers, url, method } as unknown as IncomingMessage, NAMES)?.status

describe('a request over HTTP', () => {
  test('comes under the name of this machine, an address, or a name that was allowed', () => {
    for (const host of ['localhost:8095', '127.0.0.1', '[::1]:8095', '10.1.2.3:8095', '[fd00::1]', 'MCP.example.com'])
      assert.equal(status({ host }), undefined, host)
    for (const host of ['evil.example', 'localhost.evil.example', 'mcp.example.com.evil.example', '', 'a b', '[::1'])
      assert.equal(status({ host }), 403, host)
  })

  test('comes from no web page, or from one of this server', () => {
    const host = 'mcp.example.com'
    for (const origin of ['https://mcp.example.com', 'http://localhost:6274', 'http://127.0.0.1'])
      assert.equal(status({ host, origin }), undefined, origin)
    for (const origin of ['null', 'https://evil.example', 'http://10.1.2.3', 'file://', ''])
      assert.equal(status({ host, origin }), 403, origin)
    assert.equal(status({ host: '10.1.2.3:8095', origin: 'http://10.1.2.3:8095' }), undefined)
  })

  test('uses the path and the methods of the protocol', () => {
    const host = 'localhost'
    assert.equal(status({ host }, '/mcp?a=b', 'GET'), undefined)
    for (const url of ['/', '/mcp/', '/MCP', '//mcp']) assert.equal(status({ host }, url), 404, url)
    for (const method of ['OPTIONS', 'PUT', 'HEAD']) assert.equal(status({ host }, '/mcp', method), 405, method)
  })

  test('has a bearer token, which is passed on as it is', () => {
    const read = (authorization?: string) => readAuthorization({ headers: { authorization } } as IncomingMessage)
    assert.equal(read('Bearer pk_live_a.b-c'), 'Bearer pk_live_a.b-c')
    for (const wrong of [undefined, '', 'Bearer', 'Bearer a b', 'Basic YTpi', 'Bearer a\r\nx: y'])
      assert.equal(read(wrong), undefined, wrong)
  })
})
