import { Type } from 'typebox'
import type { ProblemForm } from '#kit'

/** Our codes by the names that clients of this protocol look for. */
const CODES: Record<string, string> = {
  CONTEXT_TOO_LONG: 'context_length_exceeded',
  CONTENT_REFUSED: 'content_filter',
  INSUFFICIENT_BALANCE: 'insufficient_quota',
  MISSING_AUTH: 'invalid_api_key',
  MODEL_NOT_FOUND: 'model_not_found',
  PAYMENT_REQUIRED: 'insufficient_quota',
  RATE_LIMITED: 'rate_limit_exceeded',
  UNAUTHENTICATED: 'invalid_api_key',
}

const TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** A problem as the OpenAI API has it, beside our own code and hints. */
export const PROBLEM_FORM: ProblemForm = {
  schema: Type.Object(
    {
      error: Type.Object({
        message: Type.String(),
        type: Type.String(),
        param: Type.Union([Type.String(), Type.Null()]),
        code: Type.String(),
      }),
      code: Type.String({ description: 'The error as the other calls of this service name it.' }),
    },
    { additionalProperties: true, description: 'An error as the OpenAI API has it. Nothing was charged.' },
  ),
  write({ error, ...body }, status) {
    const code = String(body.code)
    const described = {
      message: writeMessage(String(error), body),
      type: TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: typeof body.field === 'string' ? body.field : null,
      code: CODES[code] ?? code.toLowerCase(),
    }
    // Clients of this protocol try again after a 409 and a 503 unless they are told not to.
    const isFinal =
      status < 500 ? status === 409 && code !== 'IDEMPOTENCY_IN_FLIGHT' : code === 'PROVIDER_NOT_CONFIGURED'
    const headers: Record<string, string> = isFinal ? { 'x-should-retry': 'false' } : {}
    return { body: { ...body, error: described }, headers }
  },
}

/** Clients show the message alone, so it says what the hints say. */
function writeMessage(
  error: string,
  { message, field, reason, instead, install, models, supported }: Record<string, unknown>,
): string {
  const text = error === 'PAYMENT_REQUIRED' ? (message ?? PAY) : error
  const place = typeof field === 'string' ? `(${field})` : undefined
  const choice = Array.isArray(models) ? `There are: ${models.join(', ')}.` : undefined
  const taken = Array.isArray(supported) ? `It takes: ${supported.join(', ')}.` : undefined
  return [
    text,
    place,
    reason,
    instead,
    choice,
    taken,
    install && `The operator could start it with: ${String(install)}`,
  ]
    .filter(part => typeof part === 'string')
    .join(' ')
}

const PAY = 'Pay this call by x402 as `accepts` says, or send an API key whose account has enough balance.'
