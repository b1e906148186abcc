/** The number plans of countries: what a phone number looks like there, and what kind of number it is. */
import type { NumberPlan } from '../domain/message/number-plan.ts'
import type { PhoneNumber } from '../domain/message/phone-number.ts'

export interface NumberPlans {
  describe(number: PhoneNumber): Promise<NumberPlan>
}
