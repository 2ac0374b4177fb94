/**
 * How a run is fitted into one screen: the sizes of its parts from the height there is. Pure.
 */

// In px at type of usual size: least and most of what can give way.
const ROW = [20, 38], TEXT = [48, 192], BARS = [62, 190], SIZE = [12.5, 14.5];
const LINE = 24;
const FIXED = 134;   // legend, captions, moves, stages, gaps
const LARGEST = 1.4;
const SPARED = 40;   // in present mode legend and captions are left out

const between = ([low, high], share) => low + share * (high - low);

/**
 * height  of all together, in px
 * k       drafted positions of the longest cycle: the table has a head, k rows and one for the end
 * large   in present mode type grows until the screen is full
 *
 * -> { height, row, text, bars, line, size }, in px. Below the least height parts keep their least
 * size, and the page scrolls.
 */
export function fit(height, k, large = false) {
  const rows = k + 2;
  const fixed = FIXED - (large ? SPARED : 0);
  const least = fixed + rows * ROW[0] + TEXT[0] + BARS[0];
  const comfortable = fixed + rows * between(ROW, 0.35) + between(TEXT, 0.2) + between(BARS, 0.2);
  const scale = large ? Math.min(Math.max(height / comfortable, 1), LARGEST) : 1;
  const most = fixed + rows * ROW[1] + TEXT[1] + BARS[1];
  const share = Math.min(Math.max((height / scale - least) / (most - least), 0), 1);
  const line = LINE * scale;
  return { height: Math.min(Math.max(height, least), scale * most), row: scale * between(ROW, share), bars: scale * between(BARS, share), line,
    text: line * Math.floor(between(TEXT, share) / LINE), size: scale * between(SIZE, share) };
}
