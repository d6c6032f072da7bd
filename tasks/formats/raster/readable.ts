const IMAGE_TYPES = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/avif',
  'image/gif',
  'image/tiff',
  'image/svg+xml',
] as const

/** Sharp cannot decode these; programs installed on the machine do. */
const EXTERNALLY_DECODED_TYPES = [
  'image/heic',
  'image/heif',
  'image/bmp',
  'image/x-icon',
  'image/jp2',
  'image/jxl',
  'image/vnd.adobe.photoshop',
] as const

/** The types of images that calls take. */
export const READABLE_IMAGE_TYPES = [...IMAGE_TYPES, ...EXTERNALLY_DECODED_TYPES]
