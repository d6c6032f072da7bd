const TEXT_STYLE =
  /<style:style (?=[^>]*style:family="text")[^>]*?style:name="([^"]+)"[^>]*>(?:(?!<style:style[ >])[\s\S])*?<\/style:style>/g
const IS_HIDDEN = /<style:text-properties [^>]*text:display="none"/
/** A span or section that holds no other. */
const SPAN = /<text:span (?:[^>]* )?text:style-name="([^"]+)"[^>]*>((?:(?!<\/?text:span[ >])[\s\S])*?)<\/text:span>/g
const SECTION = /<text:section (?=[^>]*text:display="none")[^>]*>(?:(?!<text:section[ >])[\s\S])*?<\/text:section>/g

/** Takes out the hidden text of an OpenDocument text, which its reader would show. */
export function takeOutHidden(content: string, styles: string): string {
  const hidden = new Set<string>()
  for (const [style, name] of `${content}${styles}`.matchAll(TEXT_STYLE)) if (IS_HIDDEN.test(style)) hidden.add(name!)
  const shown = content.replaceAll(SECTION, '')
  return hidden.size === 0 ? shown : shown.replaceAll(SPAN, (span, name) => (hidden.has(name) ? '' : span))
}
