import { stem } from './words.ts'

/** Words that callers use for the same thing. What belongs to one operation only is in its own keywords. */
const GROUPS = [
  'image photo picture pic photograph graphic img jpg jpeg png',
  'pdf document acrobat',
  'merge combine join concatenate concat unite append stitch fuse',
  'split separate divide burst cut',
  'compress shrink optimise optimize minify reduce lighter squeeze slim smaller',
  'resize scale thumbnail downscale upscale enlarge shrink smaller bigger larger',
  'convert turn transform change export save',
  'rotate turn flip mirror spin',
  'remove delete strip drop erase discard eliminate',
  'encrypt protect lock secure password',
  'decrypt unlock unprotect',
  'redact censor anonymise anonymize blackout hide mask obscure',
  'watermark stamp overlay imprint',
  'extract pull get read parse grab fetch scrape',
  'generate create make produce build new',
  'text words content string',
  'table spreadsheet rows excel csv sheet',
  'archive zip bundle package tarball',
  'unzip unpack decompress uncompress inflate',
  'hash checksum digest fingerprint md5 sha256',
  'verify validate check confirm test',
  'compare diff difference changes delta',
  'html webpage website web',
  'ocr recognise recognize scan scanned',
  'form fields acroform',
  'crop cut clip trim',
  'colour color colors palette hue shade',
  'grayscale greyscale monochrome grey gray bw',
  'blur pixelate mosaic smudge',
  'bright brightness light lighten dark darken exposure',
  'background backdrop',
  'border frame margin padding edge',
  'metadata properties info details exif facts',
  'dimensions size width height resolution',
  'duplicate dedupe deduplicate repeated unique distinct',
  'filter select where query pick keep',
  'count number many length',
  'template placeholders variables',
  'slug permalink',
  'uuid guid id identifier ulid',
  'jwt token bearer',
  'hmac signature sign signing',
  'patch apply',
  'markdown md',
  'pages page sheet',
  'bookmarks outline toc contents chapters',
  'attachment attached attach embedded embed',
  'balance credit money funds account',
  'job ticket status progress task',
  'upload send put',
  'download fetch',
  'price cost fee charge',
  'cancel abort stop',
  'render draw display show preview screenshot',
  'sharpen sharp crisp crisper clearer',
  'case uppercase lowercase capitalise capitalize camelcase',
  'regex regexp pattern regular',
  'search find look grep match',
  'clean sanitise sanitize purify safe',
  'audio sound music mp3 voice speech',
  'video movie clip film mp4',
  'translate translation language',
  'summarise summarize summary',
  'letter mail email message',
]

const synonyms = new Map<string, Set<string>>()
for (const group of GROUPS) {
  const stems = group.split(' ').map(stem)
  for (const one of stems)
    synonyms.set(one, new Set([...(synonyms.get(one) ?? []), ...stems]).difference(new Set([one])))
}

/** Other words, as stems, that may stand for this one. */
export function listSynonyms(word: string): Iterable<string> {
  return synonyms.get(word) ?? []
}
