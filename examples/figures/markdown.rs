//! Tables, as Markdown.

/// Prints a table under a heading: names to the left, numbers to the right.
pub fn table(heading: &str, head: &[&str], rows: &[Vec<String>]) {
    println!("### {heading}\n");
    println!("| {} |", head.join(" | "));
    println!("| ---{} |", " | ---:".repeat(head.len() - 1));
    for row in rows {
        println!("| {} |", row.join(" | "));
    }
    println!();
}

/// 1234567 as 1,234,567.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// 0.915 as 91.5 %.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
