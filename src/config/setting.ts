/** How a setting is described, and the ways in which values are checked. */
import { Type } from 'typebox'

/** What is known of a setting beside its type. */
export type Setting = Readonly<{
  env: string
  description: string
  /** How a right value reads: it ends the sentence "… must be". */
  must: string
  default?: string | number | boolean
  /** The value may hold a secret, so it is never repeated. */
  hidden?: true
}>

export const text = (setting: Setting) => Type.String(setting)
export const flag = (setting: Setting) => Type.Boolean(setting)
export const choice = <Values extends string[]>(values: readonly [...Values], setting: Setting) =>
  Type.Enum(values, setting)
export const checked = (setting: Setting, isRight: (value: string) => boolean) =>
  Type.Refine(Type.String(setting), isRight)
export const whole = (minimum: number, maximum: number, setting: Omit<Setting, 'must'>) =>
  Type.Integer({ ...setting, minimum, maximum, must: `a whole number from ${minimum} to ${maximum}` })
/** A URL may carry a password. */
export const url = (setting: Omit<Setting, 'must'>) =>
  checked({ ...setting, must: 'an address that begins with http:// or https://', hidden: true }, isHttpUrl)

const isHttpUrl = (value: string): boolean => /^https?:\/\//.test(value) && URL.canParse(value)
