/** The parameters of a request: a form or a query string. Like Twilio, we ignore parameters that we do not know. */
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { refuse } from '../../flows/errors.ts'
import { type RequestErrorCode, refuseAs } from './errors.ts'

export const FORM = 'application/x-www-form-urlencoded'

export function parseForm(bytes: Buffer): URLSearchParams {
  if (!isUtf8(bytes)) throw refuse('VALIDATION_ERROR', 'The request body is not valid UTF-8')
  return new URLSearchParams(bytes.toString())
}

export const formOf = ({ body }: Pick<FastifyRequest, 'body'>): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams()

export const queryOf = ({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams =>
  new URLSearchParams(/\?(.*)$/s.exec(url)?.[1])

/** A parameter without a value is not given. */
export function given(params: URLSearchParams, name: string): string | undefined {
  const value = params.get(name)
  return value === null || value === '' ? undefined : value
}

/** Refuses parameters that ask for what Pombo cannot do: to ignore them would do something else. */
export function refuseGiven(
  params: URLSearchParams,
  names: Readonly<Record<string, RequestErrorCode>>,
  because: string,
): void {
  for (const [name, code] of Object.entries(names)) {
    if (given(params, name) !== undefined) throw refuseAs(code, `The parameter ${name} ${because}`)
  }
}
