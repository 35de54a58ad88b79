//! The SVG as PNG, drawn by resvg with a font that comes along, so that words appear on a machine without fonts; and the SVG as
//! shapes alone, words included, for `pdf`.

#[cfg(feature = "png")]
use std::sync::Arc;

#[cfg(feature = "png")]
use super::draw::{Ground, document};
use super::picture::Picture;

/// Pixels per unit of the picture: sharp on paper and on dense screens.
#[cfg(feature = "png")]
const ZOOM: f32 = 2.0;

/// DejaVu Sans, cut down to the characters that pictures use; see `font/LICENSE`.
#[cfg(feature = "png")]
const FONTS: [&[u8]; 2] = [
    include_bytes!("font/sans.ttf"),
    include_bytes!("font/sans-Bold.ttf"),
];

/// The picture as the bytes of a PNG.
///
/// # Errors
/// If it is too large to be drawn, or dpcmp was built without PNG; says why.
#[cfg(feature = "png")]
pub fn png(picture: &Picture) -> Result<Vec<u8>, String> {
    use resvg::tiny_skia::{Pixmap, Transform};

    let tree = shapes(picture)?;
    let size = tree
        .size()
        .to_int_size()
        .scale_by(ZOOM)
        .ok_or("the picture has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("the picture is too large")?;
    resvg::render(
        &tree,
        Transform::from_scale(ZOOM, ZOOM),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().map_err(|error| error.to_string())
}

/// The picture on light ground as shapes; words have their outlines.
#[cfg(feature = "png")]
pub(super) fn shapes(picture: &Picture) -> Result<resvg::usvg::Tree, String> {
    use resvg::usvg::{Options, Tree, fontdb::Database};

    let mut fonts = Database::new();
    for font in FONTS {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family(FAMILY);
    let options = Options {
        font_family: FAMILY.to_owned(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let text = document(picture, Ground::Light).to_string();
    Tree::from_str(&text, &options).map_err(|error| error.to_string())
}

/// The picture as the bytes of a PNG.
///
/// # Errors
/// Always: dpcmp was built without PNG.
#[cfg(not(feature = "png"))]
pub fn png(_picture: &Picture) -> Result<Vec<u8>, String> {
    Err("dpcmp was built without the feature `png`; give a name that ends in .svg".to_owned())
}

#[cfg(feature = "png")]
const FAMILY: &str = "DejaVu Sans";
