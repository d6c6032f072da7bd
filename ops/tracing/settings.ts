import { Type } from 'typebox'
import { ConfigError } from '../variables/declaration.ts'
import { OneOf, OptionalText, OptionalUrl } from '../variables/kinds.ts'

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_traceidratio',
  'parentbased_always_off',
  'always_on',
  'traceidratio',
  'always_off',
] as const

/** Where traces are sent, and which. */
export interface TracingConfig {
  /** The address that takes them. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  /** By default it follows from the role of the process. */
  serviceName: string | undefined
  sampler: { name: (typeof SAMPLERS)[number]; ratio: number }
}

/** The names of OpenTelemetry. What this service does not do, such as OTLP by gRPC, is refused. */
export const TRACING = {
  OTEL_EXPORTER_OTLP_ENDPOINT: OptionalUrl({
    displayDefault: 'no traces',
    description:
      'Address of a collector that takes OTLP by HTTP, such as http://localhost:4318; api and workers send traces to /v1/traces below it. See [observability.md](observability.md).',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description:
      'Headers for the collector, such as authorization=Basic%20abc, separated by commas; values are percent-encoded.',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: OneOf(['http/json'], 'http/json', 'Protocol of the collector; there is this one.'),
  OTEL_SERVICE_NAME: OptionalText({
    displayDefault: 'coinop-api, coinop-worker',
    description: 'Name of the service in traces.',
  }),
  OTEL_TRACES_SAMPLER: OneOf(
    SAMPLERS,
    'parentbased_always_on',
    'Which traces are recorded; with `parentbased_` the `traceparent` of the caller decides, if there is one.',
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.String({
    default: '1',
    pattern: '^(0(\\.\\d+)?|1(\\.0+)?)$',
    expects: 'a number from 0 to 1',
    description: 'Share of traces that `traceidratio` records, such as 0.01.',
  }),
}

interface TracingValues {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string
  OTEL_EXPORTER_OTLP_HEADERS?: string
  OTEL_SERVICE_NAME?: string
  OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number]
  OTEL_TRACES_SAMPLER_ARG: string
}

/** Undefined where nothing is traced. */
export function readTracing(values: TracingValues): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_EXPORTER_OTLP_HEADERS: headers } = values
  if (address === undefined) return undefined
  return {
    endpoint: `${address.replace(/\/+$/, '')}/v1/traces`,
    headers: parseHeaders(headers ?? ''),
    serviceName: values.OTEL_SERVICE_NAME,
    sampler: { name: values.OTEL_TRACES_SAMPLER, ratio: Number(values.OTEL_TRACES_SAMPLER_ARG) },
  }
}

const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/

function parseHeaders(text: string): Record<string, string> {
  const parts = text.split(',').filter(part => part.trim() !== '')
  return Object.fromEntries(parts.map(parseHeader))
}

/** The value may be a secret, so it is not quoted. */
function parseHeader(part: string): [name: string, value: string] {
  const [, name, value = ''] = HEADER.exec(part) ?? []
  try {
    if (name !== undefined) return [name.toLowerCase(), decodeURIComponent(value)]
  } catch {
    // The message below says what is wrong with it.
  }
  throw new ConfigError('OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs, percent-encoded and separated by commas.')
}
