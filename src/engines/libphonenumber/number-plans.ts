/** Number plans from libphonenumber. Its tables are large, so they are loaded when they are first needed. */
import type { NumberType as LibraryType } from 'libphonenumber-js/max'
import type { Country } from '../../domain/message/country.ts'
import type { NumberPlan, NumberType } from '../../domain/message/number-plan.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { NumberPlans } from '../../ports/number-plans.ts'

const TYPES: Readonly<Record<NonNullable<LibraryType>, NumberType>> = {
  MOBILE: 'mobile',
  FIXED_LINE: 'fixed_line',
  FIXED_LINE_OR_MOBILE: 'fixed_line_or_mobile',
  VOIP: 'voip',
  TOLL_FREE: 'toll_free',
  PREMIUM_RATE: 'premium_rate',
  SHARED_COST: 'shared_cost',
  PERSONAL_NUMBER: 'personal',
  PAGER: 'pager',
  UAN: 'uan',
  VOICEMAIL: 'voicemail',
}

const UNKNOWN: NumberPlan = { isPossible: false, isValid: false }

export function openNumberPlans(): NumberPlans {
  return {
    async describe(number) {
      const { parsePhoneNumberFromString } = await import('libphonenumber-js/max')
      const parsed = parsePhoneNumberFromString(number)
      if (parsed === undefined) return UNKNOWN
      const type = parsed.getType()
      return omitUndefined({
        country: parsed.country as Country | undefined,
        type: type === undefined ? undefined : TYPES[type],
        isPossible: parsed.isPossible(),
        isValid: parsed.isValid(),
      })
    },
  }
}
