/** The description of a setting, and the types of values. */
import { Type } from 'typebox'

export type Setting = Readonly<{
  env: string
  description: string
  /** Completes the sentence "… must be". */
  must: string
  default?: string | number | boolean
  /** The value may contain a secret, so messages never repeat it. */
  hidden?: true
}>

export const text = (setting: Setting) => Type.String(setting)
export const flag = (setting: Setting) => Type.Boolean(setting)
export const choice = <Values extends string[]>(values: readonly [...Values], setting: Setting) =>
  Type.Enum(values, setting)
export const checked = (setting: Setting, isValid: (value: string) => boolean) =>
  Type.Refine(Type.String(setting), isValid)
export const whole = (minimum: number, maximum: number, setting: Omit<Setting, 'must'>) =>
  Type.Integer({ ...setting, minimum, maximum, must: `a whole number from ${minimum} to ${maximum}` })
/** Hidden, because a URL may contain a password. */
export const url = (setting: Omit<Setting, 'must'>) =>
  checked({ ...setting, must: 'a URL that begins with http:// or https://', hidden: true }, isHttpUrl)

const isHttpUrl = (value: string): boolean => /^https?:\/\//.test(value) && URL.canParse(value)
