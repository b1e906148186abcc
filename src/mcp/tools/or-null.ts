/** A field that is null where there is nothing to say, and that gateways of other releases may leave out. */
import type { z } from 'zod'

export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null)
