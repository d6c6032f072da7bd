import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

// Decision 0088: check test responses against OpenAPI.

/** A JSON response as it arrived. */
export interface JsonResponse {
  method: string
  /** With or without the query. */
  path: string
  status: number
  body: unknown
}

interface Described {
  $ref?: string
  description?: string
  content?: Record<string, object>
}
export interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Described> }>>
  components: { responses?: Record<string, Described> }
}

/** Says how a response differs from what the document describes; nothing if it does not. */
export type ResponseCheck = (response: JsonResponse) => string | undefined

const DOCUMENT = 'openapi'

/** Schemas are compiled when the first response needs them. Paths and methods that are not described are not checked. */
export function createResponseCheck(document: OpenApi): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true })
  ajv.addSchema(document, DOCUMENT)
  const validators = new Map<string, ValidateFunction>()
  const findPath = indexPaths(Object.keys(document.paths))

  function findFault({ method, path, status, body }: JsonResponse): string | undefined {
    const template = findPath(path.split('?')[0]!)
    const responses = template && document.paths[template]![method.toLowerCase()]?.responses
    if (!responses) return undefined
    if (!responses[status]) return 'a status that is not described'
    const { pointer, response } = resolveResponse(document, template, method.toLowerCase(), status)
    if (!response.content) return 'JSON that is not described'
    const contentType = Object.keys(response.content).find(isJson)
    // A file of any type may be JSON.
    if (!contentType) return undefined
    if (status >= 400 && !response.description?.includes(`\`${(body as { code?: string }).code}\``))
      return 'a code that is not described'
    return findShapeFault(`${DOCUMENT}${pointer}/content/${escapePointer(contentType)}/schema`, body)
  }

  function findShapeFault($ref: string, body: unknown): string | undefined {
    const validate = validators.get($ref) ?? ajv.compile({ $ref })
    validators.set($ref, validate)
    return validate(body) ? undefined : `another shape than described, ${ajv.errorsText(validate.errors)}`
  }

  return response => {
    const fault = findFault(response)
    const { method, path, status, body } = response
    return fault && `${method} ${path} answered ${status} with ${fault}: ${JSON.stringify(body)}`
  }
}

/** The response object and its JSON pointer; shared responses are references. */
function resolveResponse(document: OpenApi, path: string, method: string, status: number) {
  const response = document.paths[path]![method]!.responses[status]!
  const shared = response.$ref?.split('/').at(-1)
  if (shared) return { response: document.components.responses![shared]!, pointer: response.$ref! }
  const steps = ['paths', path, method, 'responses', String(status)]
  return { response, pointer: `#${steps.map(step => `/${escapePointer(step)}`).join('')}` }
}

/** The pointer is part of a URL, so that braces are percent-encoded. */
function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** The template of a path. The one with the fewest parameters wins; a last parameter `{key}` takes the rest of the path. */
function indexPaths(templates: readonly string[]): (path: string) => string | undefined {
  const patterns = templates
    .filter(template => template.includes('{'))
    .map(template => [toPattern(template), template] as const)
    .sort(([, left], [, right]) => countParameters(left) - countParameters(right))
  const plain = new Set(templates)
  return path => (plain.has(path) ? path : patterns.find(([pattern]) => pattern.test(path))?.[1])
}

function countParameters(template: string): number {
  return template.endsWith('{key}') ? Infinity : template.split('{').length
}

function toPattern(template: string): RegExp {
  const escaped = template.replaceAll('.', String.raw`\.`)
  return new RegExp(`^${escaped.replace(/\{key\}$/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

export function isJson(contentType: unknown): boolean {
  return /^application\/([\w.-]+\+)?json\b/.test(String(contentType))
}
