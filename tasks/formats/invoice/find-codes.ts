import type { Tools } from '../../kit/operation.ts'
import { readGrayPage } from '../document/gray.ts'
import { type PaymentCode, readPaymentCode } from './payment-codes.ts'

const CODE_SEARCH = { formats: ['QRCode'], max: 4, tryHarder: true }

/** The QR codes on a page that state a payment. */
export async function findPaymentCodes(
  page: Parameters<typeof readGrayPage>[0],
  tools: Pick<Tools, 'barcodeReader' | 'pageRenderer' | 'sharp'>,
): Promise<PaymentCode[]> {
  const found = await tools.barcodeReader.read(await readGrayPage(page, tools), CODE_SEARCH)
  return found.flatMap(({ text }) => readPaymentCode(text) ?? [])
}
