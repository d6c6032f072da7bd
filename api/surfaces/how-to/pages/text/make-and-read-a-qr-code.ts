import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Make a QR code that can be read',
  lead: 'The code is read back before it is returned, so a code that scanners fail on never leaves the service.',
  keywords: 'qr code, barcode, wifi, vcard, scan, generate',
  steps: [
    {
      call: 'codes.qr',
      note: 'A code for a wireless network.',
      input: { data: { kind: 'wifi', ssid: 'Guests', password: 'a;b' }, size: 480, ecc: 'Q' },
      saves: 'wifi.png',
    },
  ],
  pitfalls: [
    'Keep the quiet zone: `margin` is four modules, and codes without it are not found on dark paper.',
    'Light on dark is not read by every scanner. Low contrast is refused with `QR_UNREADABLE`.',
    'Every module is a whole number of pixels, so `actualSize` may be a little less than `size`.',
    'A higher `ecc` survives more damage and holds less text; the size of the code grows.',
  ],
})
