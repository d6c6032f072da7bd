import type { Warning } from '#kit'
import type { FailedRequest } from './requests.ts'

export function toResourceWarning({ url, reason }: FailedRequest): Warning {
  return { code: 'RESOURCE_FAILED', message: `${url}: ${reason}` }
}

export function toFontWarning(font: string): Warning {
  return { code: 'FONT_SUBSTITUTED', message: `${font} is not installed; another font is used instead.` }
}

export function toConsoleWarning(message: string): Warning {
  return { code: 'CONSOLE_ERROR', message }
}
