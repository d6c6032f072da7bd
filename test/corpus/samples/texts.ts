import { readFileSync } from 'node:fs'
import { createBytes } from '../../support/data/bytes.ts'
import { createSample, createSamples, type Sample } from './kinds.ts'

const texts = {
  'good.txt': () => 'One line.\nAnother, with é and 你好 and 👨‍👩‍👧.\n',
  'no-end.txt': () => 'no newline at the end',
  'long-line.txt': () => 'x'.repeat(3_000_000),
  'long-word-list.txt': () => 'word '.repeat(500_000),
  'lines-many.txt': () => '\n'.repeat(1_000_000),
  'marks.txt': () => 'e\u0301'.repeat(200_000),
  'marks-piled.txt': () => `a${'\u0301'.repeat(200_000)}`,
  'joiners.txt': () => '👩\u200d'.repeat(100_000),
  'right-to-left.txt': () => 'abc\u202edef\u202c عربي עברית\u2066x\u2069\n',
  'controls.txt': () => String.fromCharCode(...Array.from({ length: 32 }, (_, index) => index)).repeat(99),
  'surrogates.txt': () => Buffer.from('eda080edb080eda0', 'hex'),
  'overlong.txt': () => Buffer.from('c080e08080f0808080fefffe', 'hex'),
  'latin-1.txt': () => Buffer.from('Größe für Übermut', 'latin1'),
  'utf-16.txt': () => Buffer.from('\ufeffHello, wörld', 'utf16le'),
  'utf-32.txt': () => Buffer.from('fffe000048000000690000000a000000', 'hex'),
  'braces.txt': () => `${'{{'.repeat(20_000)}${'{% for a in b %}'.repeat(2000)}`,
  'loop-huge.txt': () => '{% for a in (1..100000000) %}{% for b in (1..100000000) %}{{ a }}{% endfor %}{% endfor %}',
  'stars.md': () => '*'.repeat(50_000),
  'brackets.md': () => `${'['.repeat(50_000)}${'![a]('.repeat(20_000)}`,
  'quotes.md': () => `${'> '.repeat(20_000)}x\n${'- '.repeat(20_000)}`,
  'ticks.md': () => '`a``b'.repeat(20_000),
  'table.md': () => `|${'a|'.repeat(5000)}\n|${'-|'.repeat(5000)}\n${`|${'b|'.repeat(5000)}\n`.repeat(20)}`,
  'patch.diff': () => `--- a/../../etc/passwd\n+++ /etc/passwd\n@@ -1,99999999 +1,1 @@\n${'-x\n'.repeat(20_000)}`,
}

const pages = {
  'good.html': () => '<!doctype html><title>T</title><h1>Hello</h1><p>One <b>two</b></p><table><tr><td>1<td>2</table>',
  'nest-100000.html': () => `${'<div>'.repeat(100_000)}x`,
  'nest-tables.html': () => '<table><tr><td>'.repeat(20_000),
  'nest-lists.html': () => '<ul><li>'.repeat(30_000),
  'nest-format.html': () => '<b><i><u>'.repeat(30_000),
  'nest-quotes.html': () => `${'<blockquote>'.repeat(20_000)}x`,
  'attributes-many.html': () => `<p ${Array.from({ length: 100_000 }, (_, index) => `a${index}="1"`).join(' ')}>x</p>`,
  'attribute-unclosed.html': () => `<a href="${'x'.repeat(200_000)}`,
  'comment-unclosed.html': () => `<!--${'-'.repeat(200_000)}`,
  'entities.html': () => `<p>${'&amp;lt;&#0;&#xD800;&#99999999;&nosuch'.repeat(20_000)}</p>`,
  'script.html': () => '<script>while(true){}</script><img src=x onerror=alert(1)><iframe srcdoc="<script>1</script>">',
  'script-unclosed.html': () => `<script>${'<!--<script>'.repeat(20_000)}`,
  'outside.html': () =>
    '<img src="http://127.0.0.1:9/"><link rel=stylesheet href="file:///etc/passwd"><iframe src="file:///etc/passwd">',
  'style-bomb.html': () => `<style>${'a{b:c}'.repeat(100_000)}</style><p>x`,
  'table-wide.html': () => `<table><tr>${'<td colspan=1000 rowspan=65534>x'.repeat(500)}</table>`,
  'clobber.html': () => '<form><input name=attributes><input name=parentNode><input name=childNodes></form>',
  'foreign.html': () =>
    '<svg><style><img src="</style><img src=x onerror=alert(1)>"></svg><math><mtext><table><mglyph><style>',
  'nuls.html': () => '<p\0>a\0b</p\0><scr\0ipt>x',
  'utf-16.html': () => Buffer.from('\ufeff<p>Hello</p>', 'utf16le'),
  'charset-lies.html': () => Buffer.from('<meta charset=utf-16><p>é</p>', 'latin1'),
}

/** Patterns that take extremely long in a backtracking engine, and invalid ones. */
const patterns = Object.fromEntries(
  [
    '(a+)+$',
    '(a|a)*$',
    '(a|aa)+$',
    '(.*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
    '(?:a?){500}a{500}',
    '((a{100}){100}){100}',
    '(?=(a+))\\1',
    '(a*)*b\\1',
    '[',
    '(?P<a>x)(?P<a>y)',
    '\\p{Nonsense}',
    '\\uD800',
    '(?<!a)b',
    '(((((((((((((((((((a',
    '$^'.repeat(400),
  ].map((pattern, index) => [`${index}.regex`, () => pattern]),
)

const otherFiles = {
  empty: () => '',
  'one-byte': () => 'x',
  'one-nul': () => Buffer.alloc(1),
  zeros: () => Buffer.alloc(100_000),
  noise: () => createBytes(100_000),
  'program.elf': () => Buffer.concat([Buffer.from('7f454c46020101', 'hex'), createBytes(5000)]),
  'video.mp4': () =>
    Buffer.concat([Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex'), createBytes(5000)]),
  'playlist.m3u8': () => '#EXTM3U\n#EXTINF:1,\n/etc/passwd\n',
  'markup.xml': () => '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
}

function sampleReader(name: string) {
  return () => readFileSync(new URL(`../../../tasks/samples/${name}`, import.meta.url))
}

/** Samples whose name and claimed type are wrong. */
const mislabelled = [
  createSample('pdf', 'really-png.pdf', sampleReader('gradient.png'), 'application/pdf'),
  createSample('image', 'really-pdf.png', sampleReader('letter.pdf'), 'image/png'),
  createSample('image', 'really-html.jpg', () => '<html><script>alert(1)</script>', 'image/jpeg'),
  createSample('image', 'really-empty.png', () => '', 'image/png'),
  createSample('pdf', 'really-empty.pdf', () => '', 'application/pdf'),
  createSample('archive', 'really-text.zip', () => 'not a zip', 'application/zip'),
  createSample('table', 'really-zip.csv', sampleReader('notes.zip'), 'text/csv'),
  createSample('image', 'really-png.jpg', sampleReader('gradient.png'), 'image/jpeg'),
]

export function buildTextSamples(): Sample[] {
  return [
    ...createSamples('text', texts),
    ...createSamples('html', pages),
    ...createSamples('pattern', patterns),
    ...createSamples('other', otherFiles),
    ...mislabelled,
  ]
}
