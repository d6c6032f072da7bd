import { Type } from 'typebox'

export interface VariableOptions {
  description: string
  /** What the error message says a valid value is. */
  expects?: string
  /** What ops/CONFIGURATION.md shows as the default where the schema has none. */
  displayDefault?: string
  /** The error message never repeats the value of a secret. */
  isSecret?: boolean
  pattern?: string
  default?: string
}

const URL_RULE = { expects: 'an http or https address', pattern: '^https?://[^/]' }
export const CHAIN_ADDRESS_RULE = { expects: 'an address of 0x and 40 hex digits', pattern: '^0x[0-9a-fA-F]{40}$' }
export const NETWORKS_RULE = {
  default: '',
  expects: 'IP addresses or networks separated by commas',
  pattern: '^[0-9a-fA-F:.,/\\s]*$',
}
const MODEL = '\\S+( +\\d{1,4}(\\.\\d{1,6})?){2,3}( +context=\\d{4,7})?'
export const MODEL_RULE = {
  expects:
    'a model and two or three prices, such as `a-model 0.4 1.6`, if wanted `context=32000`, and others after semicolons',
  pattern: `^${MODEL}( *; *${MODEL}){0,4}$`,
}
export const TOKEN_RULE = { expects: 'at least 16 characters', pattern: '^.{16,}$' }

export const Text = (options: VariableOptions) => Type.String({ minLength: 1, ...options })
export const OptionalText = (options: VariableOptions) => Type.Optional(Text(options))
export const Url = (options: VariableOptions) => Text({ ...URL_RULE, ...options })
export const OptionalUrl = (options: VariableOptions) => Type.Optional(Url(options))
export const OneOf = <const Name extends string>(names: readonly Name[], fallback: Name, description: string) =>
  Type.Unsafe<Name>({ type: 'string', enum: names, default: fallback, description })
export const Flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description })
/** What callers pay beyond what a provider takes. */
export const MarkupPct = (description: string) => Type.Integer({ default: 20, minimum: 0, maximum: 400, description })
export const Port = (options: { description: string; minimum: number; default?: number; displayDefault?: string }) =>
  Type.Integer({ maximum: 65_535, ...options })
