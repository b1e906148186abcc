/** Validates against the JSON schema of the compose specification, which comes with a package in test/tools. */
import { requireTool } from '../support/tools.ts'

type Problem = Readonly<{ instancePath: string; message?: string; params: object }>
type Validate = ((data: unknown) => boolean) & { errors?: readonly Problem[] | null }
type Ajv = new (options: object) => { compile: (schema: object) => Validate }

/** One sentence per problem; undefined if the schema is not installed. */
export function composeProblems(compose: unknown): readonly string[] | undefined {
  const schema = requireTool<Readonly<Record<string, unknown>>>('dclint/schemas/compose.schema.json')
  const ajv = requireTool<{ default: Ajv }>('ajv/dist/ajv.js')?.default
  if (schema === undefined || ajv === undefined) return undefined
  // Its URL is that of the dialect that Ajv reads by default, in another spelling.
  const { $schema: _, ...readable } = schema
  const validate = new ajv({ strict: false, allErrors: true, validateFormats: false }).compile(readable)
  validate(compose)
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
